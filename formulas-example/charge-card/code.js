'use strict';

const https = require('https');

class ChargeError extends Error {
  constructor(message, status) {
    super(message);
    this.name = 'ChargeError';
    this.status = status;
  }
}

function post(url, headers, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const options = { method: 'POST', timeout: 5000, headers: { ...headers, 'content-type': 'application/json' } };
    const request = https.request(url, options, (response) => {
      let received = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        received += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(received) }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', reject);
    request.end(text);
  });
}

module.exports = async ({ args, configuration, bt }) => {
  const { data: card } = await bt.tokens.retrieve(args.token_id);
  const url = new URL('/charges', configuration.API_URL);
  const charge = { amount: args.amount, card: { number: card.number } };
  let response;
  try {
    response = await post(url, { authorization: `Bearer ${configuration.API_KEY}` }, charge);
  } catch (error) {
    throw new ChargeError('The payment service cannot be reached.', 502);
  }
  if (response.status !== 201) throw new ChargeError(`The charge was declined (${response.status}).`, 402);
  const receipt = await bt.tokens.create({ type: 'token', data: response.body.receipt });
  return { raw: { id: response.body.id, receipt: receipt.id } };
};
