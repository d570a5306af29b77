import { KnownVersions } from "../../actors/calls/known-versions.ts";
import type { TaskIntent } from "../../machines/tool-call/intent.ts";
import type { Adds, HostFeature } from "./feature.ts";

const REQUIRED: TaskIntent = { stage: "required" };

/**
 * The intents of a workspace. A task begins without one, unless it has the intent of its parent. The versions of files that
 * it knows outlive its passivation.
 */
export function intentsFeature(): HostFeature<Adds<"intents" | "versions">> {
  return async ({ options, workspace }) => {
    const intents = options.workspace === false ? undefined : await options.intents?.(workspace.root);
    const intent = options.intent ?? (intents && REQUIRED);
    if (intent === undefined) return undefined;
    const versions = intents && new KnownVersions(workspace);
    return { input: { intent }, reside: () => ({ environment: { intents, versions } }) };
  };
}
