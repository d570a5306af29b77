import { createHash } from "node:crypto";

/** A number from 0 to below 1 that depends on nothing but the parts. */
export function draw(...parts: readonly (string | number)[]): number {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
