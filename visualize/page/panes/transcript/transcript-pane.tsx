import { type ReactNode, useRef, useState } from "react";
import type { PaneProps } from "../../pane-props.ts";
import { ConversationPane } from "../conversation/conversation-pane.tsx";
import { topItemOf } from "../list/top-item.ts";
import { MessagesPane } from "../messages/messages-pane.tsx";
import { entryOfMessage, messageOfEntry } from "./same-turn.ts";
import "./transcript.css";

export interface TranscriptPaneProps extends PaneProps {
  /** Whether the conversation is shown as the model saw it, in place of the messages. */
  readonly isAsModel: boolean;
  readonly onAsModel: (isAsModel: boolean) => void;
}

/** The messages of the task, or its conversation as the model saw it. A switch between them keeps the turn in sight. */
export function TranscriptPane({ isAsModel, onAsModel, ...pane }: TranscriptPaneProps): ReactNode {
  const { trace, at } = pane;
  const whole = useRef<HTMLDivElement>(null);
  const [anchor, setAnchor] = useState<Anchor>();
  const show = (isNowAsModel: boolean): void => {
    const top = topItemOf(whole.current);
    if (top !== undefined) {
      const place = isNowAsModel ? entryOfMessage : messageOfEntry;
      setAnchor({ at, isAsModel: isNowAsModel, position: place(top, trace.moment(at), trace.index) });
    }
    onAsModel(isNowAsModel);
  };
  const isAnchored = anchor?.at === at && anchor.isAsModel === isAsModel;
  const shown = { ...pane, ...(isAnchored && { anchor: anchor.position }) };
  const tools = (
    <label className="transcript-switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isAsModel}
        data-transcript-switch=""
        checked={isAsModel}
        onChange={({ target }) => show(target.checked)}
      />{" "}
      As the model saw it
    </label>
  );
  return (
    <div ref={whole} className="transcript">
      {isAsModel ? <ConversationPane {...shown} tools={tools} /> : <MessagesPane {...shown} tools={tools} />}
    </div>
  );
}

/** The item that is shown first after a switch, until the current event changes. */
interface Anchor {
  readonly at: number;
  readonly isAsModel: boolean;
  readonly position: number;
}
