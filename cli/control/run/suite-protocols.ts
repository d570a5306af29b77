import type { Protocol } from "../../../control/protocol.ts";
import { shippedProtocols } from "../../../control/protocols/shipped.ts";
import { assertDistinctNames } from "../distinct-names.ts";
import { moduleSource } from "../module-source.ts";
import { loadProtocol } from "../protocol-module.ts";

/** A protocol of a suite, with all that determines its decisions as text. */
export interface SuiteProtocol {
  readonly protocol: Protocol;
  readonly source: string;
}

interface ProtocolOptions {
  readonly threshold: number;
  readonly auditBudget: number;
  /** Names of shipped protocols, or files of modules. Absent: all shipped ones. */
  readonly names: readonly string[] | undefined;
}

/** The protocols of a suite. @throws CliError for an unknown name, and for two protocols of one name */
export async function suiteProtocols({
  names,
  ...options
}: ProtocolOptions): Promise<readonly SuiteProtocol[]> {
  const source = JSON.stringify(options);
  const shipped = shippedProtocols(options).map((protocol) => ({ protocol, source }));
  if (names === undefined) return shipped;
  const given = await Promise.all(
    [...new Set(names)].map(
      async (name) => shipped.find(({ protocol }) => protocol.name === name) ?? (await fromModule(name)),
    ),
  );
  assertDistinctNames(given.map(({ protocol }) => protocol));
  return given;
}

const fromModule = async (file: string): Promise<SuiteProtocol> => ({
  protocol: await loadProtocol(file),
  source: await moduleSource(file),
});
