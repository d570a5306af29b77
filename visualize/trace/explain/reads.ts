import type { ValueRead } from "../../../wire/http/explanation.ts";

/** The most values that are noted of one guard. */
const READS_MAX = 24;
/** The longest text of a value, in characters. */
const VALUE_MAX_CHARS = 80;

/** A value that was read and is not known. */
export class UnknownValueError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`Expected only known values to be read, got ${path}.`);
    this.name = "UnknownValueError";
    this.path = path;
  }
}

/** Notes which values are read from objects. The objects are never changed. */
export class ReadRecorder {
  readonly #values = new Map<string, string>();
  readonly #isKnown: (path: string) => boolean;

  /** `isKnown`: whether a path may be read. Reading another one throws {@link UnknownValueError}. Default: all may. */
  constructor(isKnown: (path: string) => boolean = () => true) {
    this.#isKnown = isKnown;
  }

  /** The values so far, in the order of their first reading. */
  get reads(): readonly ValueRead[] {
    return [...this.#values].slice(0, READS_MAX).map(([path, value]) => ({ path, value }));
  }

  /**
   * A copy of a plain object or a list whose values are noted when they are read. Inner ones are copied when they are
   * reached; instances of classes are passed on as they are.
   */
  watch<T extends object>(value: T, path: string): T {
    const copy: T = Object.assign(Array.isArray(value) ? [] : {}, value);
    return new Proxy(copy, { get: (target, key, receiver) => this.#read(target, key, path, receiver) });
  }

  #read(target: object, key: string | symbol, path: string, receiver: unknown): unknown {
    const value: unknown = Reflect.get(target, key, receiver);
    if (typeof key === "symbol" || typeof value === "function") return value;
    if (Array.isArray(target) && key === "length") return value;
    const inner = innerPath(path, key, Array.isArray(target));
    if (!this.#isKnown(inner)) throw new UnknownValueError(inner);
    if (isPlain(value)) return this.watch(value, inner);
    this.#values.set(inner, textOf(value));
    return value;
  }
}

const innerPath = (path: string, key: string, isList: boolean): string =>
  isList ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function textOf(value: unknown): string {
  // The name of a class is not for people: a bundler changes it.
  if (typeof value === "object" && value !== null)
    return `(${Object.prototype.toString.call(value).slice("[object ".length, -1)})`;
  const text = JSON.stringify(value) ?? "absent";
  return text.length > VALUE_MAX_CHARS ? `${text.slice(0, VALUE_MAX_CHARS)}…` : text;
}
