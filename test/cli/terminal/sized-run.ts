import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { parseScript, startMock } from "../../../testing/mock/index.ts";
import type { Installed } from "../installed.ts";
import { PseudoTerminal, type PseudoTerminalOptions } from "./pseudo-terminal.ts";

export interface SizedRunOptions extends Partial<Pick<PseudoTerminalOptions, "columns" | "rows" | "env">> {
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** After `run` and where it runs. */
  readonly args?: readonly string[];
}

/** `signalbox run` on a pseudo-terminal, with a model that answers from a script. */
export async function openSizedRun(
  box: Installed,
  script: string,
  { files = {}, args = [], env, ...size }: SizedRunOptions = {},
) {
  const workspace = box.newFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    writeFileSync(path.join(workspace, name), text);
  }
  const mock = await startMock(parseScript(script));
  const where = ["--base-url", mock.url, "--data-dir", path.join(workspace, "data")];
  const terminal = new PseudoTerminal(box.bin, ["run", ...where, ...args], {
    cwd: workspace,
    env: {
      XDG_CONFIG_HOME: box.newFolder(),
      ANTHROPIC_API_KEY: "sk-test-0123456789",
      ...env,
    },
    ...size,
  });
  onTestFinished(async () => {
    terminal.hangUp();
    await terminal.code;
    await mock.close();
  });
  /** What the model was sent, as text, one entry for each request. */
  const bodies = (): readonly string[] => mock.requests.map(({ body }) => JSON.stringify(body));
  return { terminal, workspace, bodies };
}

/** The bytes that a terminal sends for pasted text. */
export const pasted = (text: string): string => `\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`;
