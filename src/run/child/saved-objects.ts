/** Saves built-in objects with everything that they lead to, and finds which of them the code has changed. */
import { types } from 'node:util';

type Key = string | symbol;

/** An object as it was. */
export interface SavedObject {
  object: object;
  prototype: object | null;
  isExtensible: boolean;
  size: unknown;
  keys: Key[];
  descriptors: PropertyDescriptor[];
}

// Captured before code of the formula can replace them.
const { apply, deleteProperty, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, isExtensible, ownKeys } =
  Reflect;
const { is } = Object;
const { isMap, isSet } = types;
const { isArray: isList } = Array;
const getMapSize = getOwnPropertyDescriptor(Map.prototype, 'size')?.get as () => number;
const getSetSize = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => number;

const saved: SavedObject[] = [];
const known = new Set<object>();

/** Leaves an object out, whose properties may change. */
export const ignoreObject = (object: object): void => void known.add(object);

/** Names of the modules that Node.js loaded. */
const isLoadList = (object: object): boolean =>
  isList(object) && typeof object[0] === 'string' && object[0].startsWith('Internal Binding ');

/** Saves a value and what it leads to. */
export function saveReachable(value: unknown): SavedObject | undefined {
  const first = saved.length;
  save(value);
  // The list grows while it is read.
  for (let i = first; i < saved.length; i += 1) {
    const { prototype, descriptors } = saved[i] as SavedObject;
    save(prototype);
    for (const { value, get, set } of descriptors) [value, get, set].forEach(save);
  }
  return saved[first];
}

function save(value: unknown): void {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  const object = value as object;
  if (known.has(object) || isLoadList(object)) return;
  known.add(object);
  saved.push(readState(object));
}

function readState(object: object): SavedObject {
  const keys = ownKeys(object);
  return {
    object,
    prototype: getPrototypeOf(object),
    isExtensible: isExtensible(object),
    size: readSize(object),
    keys,
    descriptors: keys.map((key) => getOwnPropertyDescriptor(object, key) as PropertyDescriptor),
  };
}

function readSize(object: object): unknown {
  if (isMap(object)) return apply(getMapSize, object, []);
  return isSet(object) ? apply(getSetSize, object, []) : undefined;
}

/** Whether any saved object has changed. */
export function hasChangedObject(): boolean {
  for (const entry of saved) if (isChanged(entry)) return true;
  return false;
}

function isChanged({ object, prototype, isExtensible: wasExtensible, size, keys, descriptors }: SavedObject): boolean {
  if (getPrototypeOf(object) !== prototype || isExtensible(object) !== wasExtensible) return true;
  const now = ownKeys(object);
  if (readSize(object) !== size || now.length !== keys.length) return true;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] as Key;
    if (now[i] !== key || isOther(getOwnPropertyDescriptor(object, key), descriptors[i])) return true;
  }
  return false;
}

const ATTRIBUTES = ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'] as const;

function isOther(now: PropertyDescriptor | undefined, before: PropertyDescriptor | undefined): boolean {
  for (let i = 0; i < ATTRIBUTES.length; i += 1) {
    const attribute = ATTRIBUTES[i] as (typeof ATTRIBUTES)[number];
    if (!is(now?.[attribute], before?.[attribute])) return true;
  }
  return false;
}

/** Where this is not possible, the object stays changed. */
export function restoreObject({ object, keys, descriptors }: SavedObject): void {
  const before = new Set(keys);
  for (const key of ownKeys(object)) if (!before.has(key)) deleteProperty(object, key);
  for (let i = 0; i < keys.length; i += 1) {
    const [key, descriptor] = [keys[i] as Key, descriptors[i] as PropertyDescriptor];
    if (isOther(getOwnPropertyDescriptor(object, key), descriptor)) defineProperty(object, key, descriptor);
  }
}
