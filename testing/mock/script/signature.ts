import { createHash } from "node:crypto";

const prefix = "mock_signature_";

/** The signature of a thinking block without one in the script. It is validated when the client returns the block. */
export function signatureOf(thinking: string): string {
  return prefix + createHash("sha256").update(thinking).digest("base64url");
}

/** Whether a signature matches a thinking text. Signatures from scripts and live models always do. */
export function signatureFits(signature: string, thinking: string): boolean {
  return !signature.startsWith(prefix) || signature === signatureOf(thinking);
}
