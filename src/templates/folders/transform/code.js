'use strict';

// Only the first letter and the domain may be shown.
const masked = (email) => email.replace(/^(.)[^@]*/, '$1***');

module.exports = async ({ args: { order }, configuration }) => {
  const raw = {
    reference: `${configuration.REFERENCE_PREFIX}-${order.id}`,
    // Rounded: 19.99 * 100 is 1998.9999999999998.
    amount: Math.round(order.total * 100),
    currency: order.currency.toUpperCase(),
  };
  return { raw: order.email ? { ...raw, receipt_to: masked(order.email) } : raw };
};
