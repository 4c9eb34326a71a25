/** The parts of jsonc-parser that are used. A file of its own in dist, since a manifest without findings needs none of them. */
export {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
