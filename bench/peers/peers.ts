// cspell:words langgraph
import { aiSdk } from "./agents/ai-sdk.ts";
import { cline } from "./agents/cline.ts";
import { langGraph } from "./agents/langgraph.ts";
import { mastra } from "./agents/mastra.ts";
import { openaiAgents } from "./agents/openai-agents.ts";
import { piAgentCore, piAgentCoreLatest } from "./agents/pi-agent-core.ts";
import { rawSdk } from "./agents/raw-sdk.ts";
import { signalboxFile, signalboxMemory } from "./agents/signalbox.ts";
import type { Peer } from "./peer.ts";

/** The side that the ratios relate to. */
export const BASELINE = rawSdk;

/** All peers, in the order of the tables. */
export const PEERS: readonly Peer[] = [
  rawSdk,
  signalboxFile,
  signalboxMemory,
  piAgentCore,
  piAgentCoreLatest,
  aiSdk,
  langGraph,
  openaiAgents,
  mastra,
  cline,
];

/** @throws RangeError if there is no such peer */
export function peerNamed(name: string): Peer {
  const peer = PEERS.find((each) => each.name === name);
  if (peer === undefined)
    throw new RangeError(
      `There is no peer "${name}": expected one of ${PEERS.map((each) => each.name).join(", ")}.`,
    );
  return peer;
}
