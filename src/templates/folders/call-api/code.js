'use strict';

const https = require('https');

const TIMEOUT_MS = 5000;

class ApiError extends Error {
  constructor(message) {
    super(message);
    this.name = 'ApiError';
    this.status = 502;
  }
}

// Node.js 16 has no fetch. Resolves with the status and the body as text.
function get(url, headers) {
  return new Promise((resolve, reject) => {
    const request = https.get(url, { headers, timeout: TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', reject);
  });
}

module.exports = async ({ args, configuration }) => {
  const url = new URL(configuration.API_URL);
  if (url.protocol !== 'https:') throw new ApiError('API_URL must be an https URL.');
  // Not concatenated: the caller must not be able to change the path.
  url.searchParams.set('id', args.customer.id);

  let response;
  try {
    response = await get(url, { authorization: `Bearer ${configuration.API_TOKEN}`, accept: 'application/json' });
  } catch (error) {
    throw new ApiError('The customer API is unreachable.');
  }
  if (response.status !== 200) throw new ApiError(`The customer API returned ${response.status}.`);

  const customer = JSON.parse(response.body);
  return { raw: { id: customer.id, name: customer.name } };
};
