#!/usr/bin/env node
// Refuses a Node.js that is too old in words instead of a syntax error, then starts the tool; written for any Node.
'use strict';

var found = process.versions.node.split('.').map(Number);
if (found[0] < 20 || (found[0] === 20 && found[1] < 19)) {
  refuse(
    'formulary needs Node.js 20.19 or newer; this is ' +
      process.versions.node +
      '. Install a newer one: https://nodejs.org',
  );
} else {
  start();
}

function start() {
  try {
    require('../dist/load.js');
  } catch (error) {
    if (error.code === 'ERR_ACCESS_DENIED') {
      return refuse(
        'formulary could not read its own files: Node.js does not allow it (--permission). Add --allow-fs-read=' +
          require('node:path').join(__dirname, '..') +
          ' to the option.',
      );
    }
    if (error.code !== 'MODULE_NOT_FOUND' || !/dist[/\\]load\.js/.test(error.message)) throw error;
    refuse('formulary is not built yet; in a checkout, run: npm ci');
  }
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}
