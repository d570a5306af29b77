import { isAskType } from "../machines/message/asks.ts";
import type { ClineMessage, SayType } from "../machines/message/message.ts";
import { askView } from "./asks.ts";
import { type Kind, kind } from "./kind.ts";
import { SAY_VIEWS } from "./says.ts";

const isSayType = (say: string | undefined): say is SayType =>
  say !== undefined && Object.hasOwn(SAY_VIEWS, say);

/** The kind of a message. The first text of a task is the user's. An unknown kind has its name as title. */
export function messageKind(message: ClineMessage, position?: number): Kind {
  const { type, ask, say, denial } = message;
  if (denial !== undefined) return kind("Denied", "task", "bad");
  if (type === "ask")
    return isAskType(ask) ? askView(ask, message) : kind(`ask ${ask ?? "?"}`, "task", "ask");
  if (say === "text" && position === 0) return kind("User", "user");
  return isSayType(say) ? SAY_VIEWS[say] : kind(`say ${say ?? "?"}`, "task");
}
