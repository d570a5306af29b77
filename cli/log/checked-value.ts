import { z } from "zod";
import { excerpt } from "../../wire/excerpt.ts";
import { CliError } from "../error.ts";
import type { LocatedValue } from "./json-text.ts";

/** The part of a zod schema that a check uses: of `zod` and of `zod/mini`. */
interface Schema<T> {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly data?: T | undefined;
    readonly error?: { readonly issues: readonly { path: PropertyKey[]; message: string }[] } | undefined;
  };
}

/**
 * Return the value itself, with all its fields, if the schema accepts it.
 *
 * @param noun Name of the value in the error: `a message`.
 * @throws CliError with the first place in the value that the schema rejects
 */
export function checkedValue<T>(
  schema: Schema<T>,
  { value, where }: LocatedValue,
  file: string,
  noun: string,
): T {
  const isValid = (given: unknown): given is T => schema.safeParse(given).success;
  if (isValid(value)) return value;
  const cause = schema.safeParse(value).error;
  const issue = cause?.issues[0];
  const place = z.core.toDotPath(issue?.path ?? []);
  throw new CliError(
    `${file}, ${where}${place && `, at ${place}`}: expected ${noun}, got ${excerpt(value)} (${issue?.message ?? "invalid"}). Correct it or leave it out.`,
    { cause },
  );
}
