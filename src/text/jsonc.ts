/** The parts of jsonc-parser in use. A separate file in dist, which is only loaded for JSON with problems. */
export {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
