import type { EditorLimits } from "../ports/editor.ts";

/** The limits of an editor by default. */
export const EDITOR_LIMITS: EditorLimits = {
  timeoutMs: 2_000,
  saveTimeoutMs: 30_000,
  openFiles: 50,
  terminals: 10,
  terminalBytes: 1_000,
  diagnostics: 50,
  gitStatusBytes: 2_000,
};
