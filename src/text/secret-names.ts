/** Names of members, settings, parameters, and headers whose values are likely secret. Pure. */

/** Words that make a name secret, alone or as the end of a word: `client_secret`, `clientsecret`. */
const ENDINGS =
  /(?:secret|password|passwd|pwd|passphrase|token|credentials?|apikey|accesskey|secretkey|privatekey|signingkey|encryptionkey|authkey)$/;

const WORDS = new Set(
  'authorization auth signature sig cookie bearer jwt otp cvc cvv cvv2 pin session sessionid sessid sid'.split(' '),
);

/** Parts of a name, written as two words or one. */
const PAIRS =
  /(?:api|access|secret|private|signing|encryption|subscription|auth|client|shared|account|master|function)key(?:$|[^a-z])|securitycode|clientassertion(?!type)|sessionid|secretkey/;

/** Whether a name such as `accessToken`, `X-Api-Key`, or `sessionid` is that of a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return words.some((word) => WORDS.has(word) || ENDINGS.test(word)) || PAIRS.test(words.join(''));
}
