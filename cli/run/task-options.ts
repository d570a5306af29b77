import type { ChatModel } from "../../actors/index.ts";
import type { ReopenOptions } from "../../runtime/index.ts";
import type { RunSettings } from "./settings.ts";

/** What every task of a run is made or opened with. */
export function taskOptions(settings: RunSettings, model: ChatModel): Omit<ReopenOptions, "workspace"> {
  const { policy, mistakes, exitOnError, checkpoints } = settings;
  return {
    model,
    policy,
    checkpoints,
    autoRetry: !exitOnError,
    ...(mistakes !== undefined && { limits: { mistakes } }),
  };
}
