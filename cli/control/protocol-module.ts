import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Protocol } from "../../control/protocol.ts";
import { shippedProtocols } from "../../control/protocols/shipped.ts";
import { CliError, errorMessage } from "../error.ts";

/** The threshold and the audits of a shipped protocol that is named without others. */
const STANDARD = { threshold: 0.5, auditBudget: 1 };

/**
 * The shipped protocol of this name, or the one that a module exports as `protocol`.
 * @throws CliError where there is neither
 */
export async function loadProtocol(nameOrFile: string): Promise<Protocol> {
  const shipped = shippedProtocols(STANDARD);
  const named = shipped.find(({ name }) => name === nameOrFile);
  if (named !== undefined) return named;
  if (!/\.[cm]?js$/.test(nameOrFile)) {
    const known = shipped.map(({ name }) => name).join(", ");
    throw new CliError(
      `--protocol: unknown protocol "${nameOrFile}". Expected one of ${known}, or a module (.js, .mjs) that exports \`protocol\`.`,
    );
  }
  const exported = await exportedBy(nameOrFile);
  if (isProtocol(exported)) return exported;
  throw new CliError(
    `--protocol: ${nameOrFile} exports no \`protocol\`. Expected \`export const protocol = defineProtocol({ ... })\`, with defineProtocol from "signalbox/control".`,
  );
}

async function exportedBy(file: string): Promise<unknown> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path.resolve(file)).href);
    return module.protocol;
  } catch (error) {
    throw new CliError(`--protocol: can't load ${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Whether it has the form of a protocol, also of another copy of the package. */
const isProtocol = (exported: unknown): exported is Protocol =>
  exported instanceof Object &&
  "name" in exported &&
  "monitors" in exported &&
  "state" in exported &&
  "chances" in exported &&
  ["judgeResponse", "judgeCall", "judgeResult"].some((judge) => judge in exported);
