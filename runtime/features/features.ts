import { browserFeature } from "./browser.ts";
import { controlFeature } from "./control.ts";
import type { FeatureHost, FeatureTask, HostFeature, TaskFeature } from "./feature.ts";
import { hooksFeature } from "./hooks.ts";
import { intentsFeature } from "./intents.ts";
import { ledgerFeature } from "./ledger.ts";
import { policiesFeature } from "./policies-over-time.ts";

/** The features are opened, observe and end in this order. */
const FEATURES: readonly ((host: FeatureHost) => HostFeature)[] = [
  hooksFeature,
  controlFeature,
  ledgerFeature,
  intentsFeature,
  policiesFeature,
  browserFeature,
];

/** The features of a new host. */
export const hostFeatures = (host: FeatureHost): readonly HostFeature[] =>
  FEATURES.map((create) => create(host));

/** Open the features of a task, one after the other. */
export async function openFeatures(
  features: readonly HostFeature[],
  task: FeatureTask,
  isReopened: boolean,
): Promise<readonly TaskFeature[]> {
  let opened: readonly TaskFeature[] = [];
  for (const open of features) {
    const feature = await open(task, isReopened);
    // A list without spare capacity: passive tasks keep it.
    if (feature !== undefined) opened = opened.concat(feature);
  }
  return opened;
}
