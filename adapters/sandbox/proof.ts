import { homedir } from "node:os";
import path from "node:path";
import { type Access, accessesOf, sortedAccesses } from "./accesses.ts";
import { checkProbes } from "./check-probes.ts";
import type { Confinement, SandboxMeans } from "./means.ts";
import type { TaskSandboxOptions } from "./options.ts";
import { probesOf } from "./probe.ts";
import { openProbeGround, type ProbeGround } from "./probe-ground.ts";
import { meansOf, THIS_SYSTEM } from "./system.ts";

/** A sandbox that is proven before its first command. */
export interface UnprovenSandbox {
  readonly rules: readonly Access[];
  /** The options that the rules are from. */
  readonly options: TaskSandboxOptions;
  readonly workspace: string;
}

/** Most sandboxes of this process that are not proven again. */
const PROVEN_MAX = 1_000;

/** The proofs of this process, from the oldest to the newest. */
const proofs = new Map<string, Promise<void>>();

/**
 * Try by probes that a sandbox blocks what it must, and nothing else. Each sandbox is proven once by this process.
 *
 * @throws SandboxError `SANDBOX_MISSING`, `SANDBOX_PROBE`
 */
export async function proveSandbox(means: SandboxMeans, sandbox: UnprovenSandbox): Promise<void> {
  const { rules, options, workspace } = sandbox;
  const program = await means.find(rules);
  await once(JSON.stringify([program, homedir(), workspace, options]), () =>
    prove(means, { rules: () => rules, hosts: options.hosts ?? [], folders: [path.dirname(workspace)] }),
  );
}

/**
 * Prove that commands can run in a sandbox here, of any task.
 *
 * @throws SandboxError `SANDBOX_MISSING`, `SANDBOX_PROBE`
 */
export async function assertSandbox(system = THIS_SYSTEM): Promise<void> {
  const means = meansOf(system);
  const program = await means.find([]);
  const rules = ({ writable }: ProbeGround): readonly Access[] => accessesOf({}, writable);
  await once(JSON.stringify([program, homedir()]), () => prove(means, { rules, hosts: [], folders: [] }));
}

/**
 * Prove a confinement that is ready to start programs.
 *
 * @throws SandboxError `SANDBOX_PROBE`
 */
export async function proveConfinement(confinement: Confinement): Promise<void> {
  const ground = await openProbeGround();
  try {
    await checkProbes(confinement, probesOf(confinement, ground, []));
  } finally {
    await ground.close();
  }
}

/** Do a proof unless it was done. */
async function once(key: string, start: () => Promise<void>): Promise<void> {
  const proof = proofs.get(key) ?? start();
  proofs.set(key, proof);
  const [oldest] = proofs.keys();
  if (proofs.size > PROVEN_MAX && oldest !== undefined) proofs.delete(oldest);
  try {
    await proof;
  } catch (error) {
    // What it is about may be changed.
    proofs.delete(key);
    throw error;
  }
}

interface Scope {
  readonly rules: (ground: ProbeGround) => readonly Access[];
  readonly hosts: readonly string[];
  /** More folders that may not be writable. */
  readonly folders: readonly string[];
}

async function prove(means: SandboxMeans, { rules, hosts, folders }: Scope): Promise<void> {
  const ground = await openProbeGround();
  try {
    const { unix, proxy, temporary } = ground;
    const confinement = await means.confine({
      rules: sortedAccesses([...rules(ground), ...ground.accesses]),
      temporary,
      sockets: unix.at.path === undefined ? [] : [unix.at.path],
      proxyPort: hosts.length === 0 ? undefined : proxy.at.port,
    });
    try {
      await checkProbes(confinement, probesOf(confinement, ground, [...folders, homedir()]));
    } finally {
      confinement.held.close();
      confinement.leave();
    }
  } finally {
    await ground.close();
  }
}
