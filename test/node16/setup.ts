/** Installs the Node.js 16 of the tests once, if it exists for this platform. */
import { installNode, realNode } from '../helpers/real-node.mjs';

/** The path of Node.js 16, or undefined on machines that it is not made for. */
export const node16 = realNode(16);

export function setup(): void {
  installNode(16);
}
