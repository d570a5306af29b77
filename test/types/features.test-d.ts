// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import type { KnownVersions } from "../../actors/calls/known-versions.ts";
import type { Adds, HostFeature, ResidentFeature, TaskFeature } from "../../runtime/features/feature.ts";
import type { ReadIntents } from "../../tools/index.ts";

declare const intents: ReadIntents;
declare const versions: KnownVersions;
type Added = Adds<"intents" | "versions">;

export const feature: HostFeature<Added> = () => ({
  input: { intent: { stage: "required" } },
  reside: () => ({ environment: { intents, versions } }),
});
export const listed: readonly HostFeature[] = [feature];

// A feature adds all that its type names.
// @ts-expect-error
export const missing: HostFeature<Added> = () => ({ reside: () => ({ environment: { intents } }) });
export const misspelled: HostFeature<Added> = () => ({
  // @ts-expect-error
  reside: () => ({ environment: { intents, version: versions } }),
});
export const mistyped: HostFeature<Added> = () => ({
  // @ts-expect-error
  reside: () => ({ environment: { intents: versions, versions } }),
});
// @ts-expect-error No edge actor has this option.
export type Unknown = Adds<"version">;

// A feature replaces nothing that each task has.
// @ts-expect-error
export const replaced: ResidentFeature = { environment: { policy: () => ({ decision: "allow" }) } };
// @ts-expect-error
export const renamed: TaskFeature = { input: { taskId: "1" } };
