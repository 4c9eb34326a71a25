#!/usr/bin/env node
// Refuses a Node.js that is too old in words instead of a syntax error, then starts the tool; written for any Node.
'use strict';

var found = process.versions.node.split('.').map(Number);
if (found[0] < 20 || (found[0] === 20 && found[1] < 19)) {
  process.stderr.write(
    'formulary needs Node.js 20.19 or newer; this is ' +
      process.versions.node +
      '. Install a newer one: https://nodejs.org\n',
  );
  process.exitCode = 2;
} else {
  require('../dist/cli.js');
}
