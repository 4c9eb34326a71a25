/** A formula that asks another service, with a time limit and errors that say what happened. */
import type { Template } from './template.ts';

export const callApi: Template = {
  summary: 'ask another service over https, with a time limit',
  language: 'js',
  description: 'Looks a customer up in another service',
  contract: {
    configuration: [
      { name: 'API_URL', description: 'Address that customers are looked up at, https alone', type: 'string' },
      { name: 'API_TOKEN', description: 'Token of that service', type: 'string' },
    ],
    request_parameters: [{ name: 'customer.id', description: 'Whom to look up', type: 'string' }],
  },
  code: `'use strict';

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
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
  });
}

module.exports = async ({ args, configuration }) => {
  const url = new URL(configuration.API_URL);
  if (url.protocol !== 'https:') throw new ApiError('API_URL must be an https address.');
  // Never put together by hand: what the caller sends must not choose another path.
  url.searchParams.set('id', args.customer.id);

  let answer;
  try {
    answer = await get(url, { authorization: \`Bearer \${configuration.API_TOKEN}\`, accept: 'application/json' });
  } catch (error) {
    throw new ApiError('The service of customers cannot be reached.');
  }
  if (answer.status !== 200) throw new ApiError(\`The service of customers answered with \${answer.status}.\`);

  const customer = JSON.parse(answer.body);
  return { raw: { id: customer.id, name: customer.name } };
};
`,
  casesFile: 'customers.json',
  cases: [
    {
      name: 'returns the customer that the service found',
      args: { customer: { id: 'c-1' } },
      configuration: { API_URL: 'https://api.example.com/customers', API_TOKEN: 'example' },
      doubles: {
        http: [
          {
            request: 'GET https://api.example.com/customers?id=c-1',
            response: { status: 200, json: { id: 'c-1', name: 'Ada', email: 'ada@example.com' } },
          },
        ],
      },
      expect: { raw: { id: 'c-1', name: 'Ada' } },
    },
    {
      name: 'reports an unreachable service',
      args: { customer: { id: 'c-1' } },
      configuration: { API_URL: 'https://api.example.com/customers', API_TOKEN: 'example' },
      doubles: { http: [{ request: 'GET https://api.example.com/customers?*', error: 'ECONNREFUSED' }] },
      expect: { error: { message: 'cannot be reached', status: 502 } },
    },
    {
      name: 'rejects a URL without encryption',
      args: { customer: { id: 'c-1' } },
      configuration: { API_URL: 'http://api.example.com/customers', API_TOKEN: 'example' },
      expect: { error: { message: 'must be an https address', status: 502 } },
    },
  ],
};
