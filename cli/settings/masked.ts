import type { SettingEntry } from "../../settings/entry.ts";

/**
 * A setting whose values that may be secrets are not shown, only their names: headers, variables of a server, and how it is
 * logged in to.
 */
export function masked<T extends SettingEntry>(entry: T): T {
  const { value, path: names } = entry;
  if (names[0] === "profiles" && names.at(-1) === "headers") return { ...entry, value: maskedValues(value) };
  if (names[0] !== "mcpServers" || !isObject(value)) return entry;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    SECRETS.has(name) ? maskedValues(field, SECRETS.get(name)) : field,
  ]);
  return { ...entry, value: Object.fromEntries(fields) };
}

/** Fields of a server, and which of their values may be secret. Undefined: all. */
const SECRETS: ReadonlyMap<string, string | undefined> = new Map([
  ["env", undefined],
  ["headers", undefined],
  ["oauth", "clientSecret"],
]);

/** A reference to a variable is not a secret. */
const maskedValues = (value: unknown, only?: string): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, text]) => [
          name,
          isReference(text) || (only !== undefined && name !== only) ? text : "[masked]",
        ]),
      )
    : value;

const isReference = (text: unknown): boolean => typeof text === "string" && /^\$\{\w+\}$/.test(text);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
