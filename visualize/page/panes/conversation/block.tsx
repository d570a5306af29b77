import type { ReactNode } from "react";
import type {
  AssistantBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from "../../../../machines/conversation/entry.ts";
import { isEnvironmentText } from "../../../../machines/conversation/environment.ts";
import { plural } from "../../../../present/plural.ts";
import { Folded } from "../../text/folded.tsx";
import { Json } from "../../text/json.tsx";
import { SafeMarkdown } from "../../text/markdown.tsx";
import { Plain, Short } from "../../text/plain.tsx";
import { shortened } from "../../text/printable.ts";

export interface BlockProps {
  readonly block: AssistantBlock | UserBlock;
  readonly isModel: boolean;
  readonly pair: number | undefined;
  /** Whether a call has its result. */
  readonly hasResult: boolean;
}

/** One block of the conversation, as it was sent. */
export function Block({ block, isModel, pair, hasResult }: BlockProps): ReactNode {
  switch (block.type) {
    case "text":
      if (isEnvironmentText(block.text)) return <EnvironmentBlock text={block.text} />;
      return isModel ? (
        <SafeMarkdown text={block.text} />
      ) : (
        <p className="conversation-text">
          <Plain text={block.text} />
        </p>
      );
    case "thinking":
      return (
        <Folded
          className="conversation-quiet"
          summary={
            <>
              thinking: <Short text={block.thinking} maxChars={90} />
            </>
          }
        >
          {() => (
            <>
              <SafeMarkdown text={block.thinking} />
              <p className="conversation-quiet">
                signature: <Short text={block.signature} maxChars={40} />
              </p>
            </>
          )}
        </Folded>
      );
    case "redacted_thinking":
      return <p className="conversation-quiet">[redacted thinking, {sizeOf(block.data.length)}]</p>;
    case "image":
      return (
        <p className="conversation-quiet">
          [image: <Short text={block.source.media_type} />, {sizeOf((block.source.data.length * 3) / 4)}, not
          loaded]
        </p>
      );
    case "opaque":
      return (
        <Folded className="conversation-quiet" summary={<Short text={block.block.type} maxChars={90} />}>
          {() => <Json value={block.block} isBare />}
        </Folded>
      );
    case "tool_use":
      return <ToolUse block={block} pair={pair} hasResult={hasResult} />;
    case "tool_result":
      return <ToolResult block={block} pair={pair} />;
  }
}

/** The part of a request that the model reads about its surroundings. */
function EnvironmentBlock({ text }: { readonly text: string }): ReactNode {
  return (
    <Folded
      className="conversation-quiet"
      summary={`environment, ${plural(text.split("\n").length - 2, "line")}`}
    >
      {() => (
        <p className="conversation-text">
          <Plain text={text} />
        </p>
      )}
    </Folded>
  );
}

/** The number of colours of the pairs. */
const COLOURS = 6;
const ID_CHARS_MAX = 80;

/** The number of a call and its result. Its tooltip has the call's id. */
function Pair({ pair, id }: { readonly pair: number | undefined; readonly id: string }): ReactNode {
  const colour = pair === undefined ? "none" : String(pair % COLOURS);
  return (
    <span title={shortened(id, ID_CHARS_MAX)} className={`conversation-pair conversation-pair-${colour}`}>
      <b>{pair ?? "?"}</b>
    </span>
  );
}

function ToolUse({ block, pair, hasResult }: Omit<BlockProps, "isModel"> & { readonly block: ToolUseBlock }) {
  return (
    <div>
      <p className="conversation-call-head">
        <Pair pair={pair} id={block.id} />
        <b>
          <Short text={block.name} />
        </b>
        {!hasResult && <span className="conversation-open">no result yet</span>}
      </p>
      <Json value={block.input} isBare />
    </div>
  );
}

/** The most blocks of one result that are shown. */
const PARTS_MAX = 20;

function ToolResult({ block, pair }: Pick<BlockProps, "pair"> & { readonly block: ToolResultBlock }) {
  const left = block.content.length - PARTS_MAX;
  return (
    <div>
      <p className="conversation-call-head">
        <Pair pair={pair} id={block.tool_use_id} />
        <b>result</b>
        {block.is_error === true && <span className="conversation-error">error</span>}
        {pair === undefined && <span className="conversation-error">no matching call</span>}
      </p>
      {block.content.slice(0, PARTS_MAX).map((part, index) =>
        part.type === "text" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by position
          <pre key={index} className="conversation-result">
            <Plain text={part.text} maxChars={1_500} />
          </pre>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by position
          <Block key={index} block={part} isModel={false} pair={undefined} hasResult={false} />
        ),
      )}
      {left > 0 && <p className="conversation-quiet">… {left} more parts</p>}
    </div>
  );
}

const sizeOf = (bytes: number): string => (bytes < 1_024 ? `${bytes} B` : `${(bytes / 1_024).toFixed(1)} KB`);
