/** Reports calls of the network that no double can respond to. */
import { reportCall } from '../child/calls.ts';
import { placeHere } from './call-places.ts';

export function reportClosed(what: string): void {
  reportCall(`"other":${JSON.stringify(what)},"stack":${JSON.stringify(placeHere())}`);
}
