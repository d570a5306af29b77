import { z } from "zod";
import type { JsonValue, ProviderOptions } from "./language-model.ts";

/** A part of a stream, or a field of one. Nothing is trusted to have the type that its provider declares. */
export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const Value: z.ZodType<JsonValue> = z.json();
const Metadata: z.ZodType<ProviderOptions> = z.record(z.string(), z.record(z.string(), Value));

/**
 * The metadata that a provider adds to a block, by its name; it goes back to it with the block. Undefined for anything else.
 */
export function metadataOf(value: unknown): ProviderOptions | undefined {
  const parsed = Metadata.safeParse(value);
  return parsed.success && Object.keys(parsed.data).length > 0 ? parsed.data : undefined;
}

/** The metadata of a block: each of its parts may have some. */
export function joined(
  one: ProviderOptions | undefined,
  next: ProviderOptions | undefined,
): ProviderOptions | undefined {
  if (one === undefined || next === undefined) return next ?? one;
  const both = Object.entries(next).map(([name, fields]) => [name, { ...one[name], ...fields }] as const);
  return { ...one, ...Object.fromEntries(both) };
}

/** Metadata as the signature of a thinking block. */
export const signatureOf = (metadata: ProviderOptions | undefined): string => JSON.stringify(metadata ?? {});

/** The metadata in a signature; undefined for a signature of another model. */
export function metadataIn(signature: string): ProviderOptions | undefined {
  try {
    return metadataOf(JSON.parse(signature));
  } catch {
    return undefined;
  }
}

/** A JSON value; undefined for anything else. */
export function jsonOf(value: unknown): JsonValue | undefined {
  const parsed = Value.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
