import type { IsolatedFiles } from "../conversation/isolated-files.ts";
import type { Input } from "../tool-call/call.ts";
import type { Grant } from "../tool-call/grant.ts";
import { subtaskActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { actorIntent } from "./intent.ts";

interface StartedSubtask {
  readonly callId: string;
  readonly childId: string;
  readonly name: string;
  readonly input: Input;
  readonly grant?: Grant;
  readonly isolation?: IsolatedFiles;
}

/** Starts the actor of a subtask, with what is permitted and selected now. */
export function startSubtask(
  change: Change,
  { callId, childId, name, input, grant, isolation }: StartedSubtask,
): void {
  const given = {
    ...(grant !== undefined && { grant }),
    ...(isolation !== undefined && { isolation }),
  };
  const { permissions, profile } = change.context;
  const chosen = profile !== null && profile.chosen !== null && { chosenProfile: profile.chosen };
  const inherited = { permissions, ...given, ...chosen, ...actorIntent(change.context) };
  change.start("subtask", subtaskActorId(callId), { callId, childId, name, input, ...inherited });
}
