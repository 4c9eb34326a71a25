/** Template: a formula that signs text with a secret of the reactor. */
import type { Template } from './template.ts';

export const sign: Template = {
  summary: 'sign text with HMAC-SHA256',
  language: 'js',
  description: 'Signs text with HMAC-SHA256',
  contract: {
    configuration: [{ name: 'SIGNING_SECRET', description: 'Secret shared with the receiver', type: 'string' }],
    request_parameters: [
      { name: 'text', description: 'Text to sign', type: 'string' },
      { name: 'timestamp', description: 'Unix time in seconds, signed with the text', type: 'number' },
    ],
  },
  code: `'use strict';

const crypto = require('crypto');

// The receiver computes the same signature and compares.
module.exports = async ({ args, configuration }) => {
  const signature = crypto
    .createHmac('sha256', configuration.SIGNING_SECRET)
    .update(\`\${args.timestamp}.\${args.text}\`, 'utf8')
    .digest('hex');
  return { raw: { signature: \`t=\${args.timestamp},v1=\${signature}\` } };
};
`,
  casesFile: 'signatures.json',
  cases: [
    {
      name: 'signs the text and the timestamp',
      args: { text: '{"amount":1999}', timestamp: 1700000000 },
      configuration: { SIGNING_SECRET: 'example' },
      expect: {
        raw: { signature: 't=1700000000,v1=e3b3e7bbc3323a96acab70211181ac22c9d7313b5b3efbddb740e77f15785c64' },
      },
    },
    {
      name: 'signs an empty text',
      args: { text: '', timestamp: 1700000000 },
      configuration: { SIGNING_SECRET: 'example' },
      expect: {
        raw: { signature: 't=1700000000,v1=0815e1d4568589e1e6888cf59381d4850fc4261ba1f83bf8c398776ff233573c' },
      },
    },
  ],
};
