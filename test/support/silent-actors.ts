import { fromCallback } from "xstate";
import { actorsOfKinds } from "../../machines/task/task.setup.ts";

/** Actors that send nothing: the test sends their events. */
export const silentActors = actorsOfKinds(() => fromCallback(() => {}));
