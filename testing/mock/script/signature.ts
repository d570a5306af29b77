import { createHash } from "node:crypto";

const prefix = "mock_signature_";

/** The signature of a thinking block whose script names none. It can be checked when the block comes back. */
export function signatureOf(thinking: string): string {
  return prefix + createHash("sha256").update(thinking).digest("base64url");
}

/** Whether a signature may stand under a thinking text. Those that a script or a live model made may. */
export function signatureFits(signature: string, thinking: string): boolean {
  return !signature.startsWith(prefix) || signature === signatureOf(thinking);
}
