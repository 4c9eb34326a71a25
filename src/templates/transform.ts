/** A formula that turns a record of one system into that of another. */
import type { Template } from './template.ts';

export const transform: Template = {
  summary: 'turn an order of one system into that of another',
  language: 'js',
  description: 'Turns an order into what a payment service takes',
  contract: {
    configuration: [{ name: 'REFERENCE_PREFIX', description: 'What references begin with', type: 'string' }],
    request_parameters: [
      { name: 'order.id', description: 'Number of the order', type: 'string' },
      { name: 'order.total', description: 'Amount with its decimals, as 19.99', type: 'number' },
      { name: 'order.currency', description: 'Code of the currency, any case', type: 'string' },
      { name: 'order.email', description: 'Where the receipt goes', type: 'string', optional: true },
    ],
  },
  code: `'use strict';

// The letters of an address that may be shown.
const masked = (email) => email.replace(/^(.)[^@]*/, '$1***');

module.exports = async ({ args: { order }, configuration }) => {
  const raw = {
    reference: \`\${configuration.REFERENCE_PREFIX}-\${order.id}\`,
    // Rounded: 19.99 * 100 is 1998.9999999999998.
    amount: Math.round(order.total * 100),
    currency: order.currency.toUpperCase(),
  };
  return { raw: order.email ? { ...raw, receipt_to: masked(order.email) } : raw };
};
`,
  casesFile: 'orders.json',
  cases: [
    {
      name: 'an order becomes a payment',
      args: { order: { id: '1042', total: 19.99, currency: 'eur', email: 'ada@example.com' } },
      configuration: { REFERENCE_PREFIX: 'shop' },
      expect: { raw: { reference: 'shop-1042', amount: 1999, currency: 'EUR', receipt_to: 'a***@example.com' } },
    },
    {
      name: 'an address may be left out',
      args: { order: { id: '1043', total: 5, currency: 'USD' } },
      configuration: { REFERENCE_PREFIX: 'shop' },
      expect: { raw: { reference: 'shop-1043', amount: 500, currency: 'USD' } },
    },
  ],
};
