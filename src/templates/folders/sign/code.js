'use strict';

const crypto = require('crypto');

// The receiver computes the same signature and compares.
module.exports = async ({ args, configuration }) => {
  const signature = crypto
    .createHmac('sha256', configuration.SIGNING_SECRET)
    .update(`${args.timestamp}.${args.text}`, 'utf8')
    .digest('hex');
  return { raw: { signature: `t=${args.timestamp},v1=${signature}` } };
};
