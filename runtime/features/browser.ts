import type { Browser } from "../../ports/browser.ts";
import { isAtRest } from "../task/task-end.ts";
import type { Adds, HostFeature, ResidentFeature } from "./feature.ts";

/** The browser of a task. The task keeps its actors while the browser is open, and closes it at rest. */
export function browserFeature(): HostFeature<Adds<"browser">> {
  return ({ options: { browser: create } }) => create && { reside: () => resident(create()) };
}

const resident = (browser: Browser): ResidentFeature<Adds<"browser">> => ({
  environment: { browser },
  onSnapshot: ({ value }) => {
    if (isAtRest(value)) void browser.close();
  },
  needsActors: () => browser.isOpen,
  endEffects: () => browser.close(),
});
