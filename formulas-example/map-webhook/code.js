'use strict';

const SENSITIVE = ['email', 'tax_number'];
const HANDLED = ['customer.created', 'customer.updated'];

class WebhookError extends Error {
  constructor(message, errors) {
    super(message);
    this.name = 'WebhookError';
    this.status = 400;
    this.errors = errors;
  }
}

function mask(text) {
  return `${'*'.repeat(Math.max(0, text.length - 2))}${text.slice(-2)}`;
}

module.exports = async function mapWebhook({ args: { event } }) {
  if (!HANDLED.includes(event.type)) {
    throw new WebhookError('The event is not handled.', { 'event.type': [`must be one of ${HANDLED.join(', ')}`] });
  }
  const { customer } = event;
  const present = SENSITIVE.filter((field) => customer[field] !== undefined);
  const raw = {
    customer_id: customer.id,
    masked: Object.fromEntries(present.map((field) => [field, mask(customer[field])])),
  };
  if (!event.live || present.length === 0) return { raw };
  return {
    raw,
    tokenize: Object.fromEntries(present.map((field) => [field, { type: 'token', data: customer[field] }])),
  };
};
