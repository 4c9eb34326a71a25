/** Template: a formula that converts a record between two systems. */
import type { Template } from './template.ts';

export const transform: Template = {
  summary: 'convert an order for another system',
  language: 'js',
  description: 'Converts an order for a payment service',
  contract: {
    configuration: [{ name: 'REFERENCE_PREFIX', description: 'Prefix of payment references', type: 'string' }],
    request_parameters: [
      { name: 'order.id', description: 'Order number', type: 'string' },
      { name: 'order.total', description: 'Amount with decimals, such as 19.99', type: 'number' },
      { name: 'order.currency', description: 'Currency code, in any letter case', type: 'string' },
      { name: 'order.email', description: 'Email address for the receipt', type: 'string', optional: true },
    ],
  },
  code: `'use strict';

// Only the first letter and the domain may be shown.
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
      name: 'converts an order',
      args: { order: { id: '1042', total: 19.99, currency: 'eur', email: 'ada@example.com' } },
      configuration: { REFERENCE_PREFIX: 'shop' },
      expect: { raw: { reference: 'shop-1042', amount: 1999, currency: 'EUR', receipt_to: 'a***@example.com' } },
    },
    {
      name: 'email is optional',
      args: { order: { id: '1043', total: 5, currency: 'USD' } },
      configuration: { REFERENCE_PREFIX: 'shop' },
      expect: { raw: { reference: 'shop-1043', amount: 500, currency: 'USD' } },
    },
  ],
};
