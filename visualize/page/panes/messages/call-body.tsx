import type { ReactNode } from "react";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { callLines } from "../../../../present/call-text.ts";
import type { Call, TitlePart } from "../../../../present/calls.ts";
import { parseCall } from "../../../../present/parse-call.ts";
import type { Todo } from "../../../../wire/descriptor.ts";
import { Diff } from "../../text/diff.tsx";
import { isDiff } from "../../text/diff-lines.ts";
import { Json } from "../../text/json.tsx";
import { SafeMarkdown } from "../../text/markdown.tsx";
import { Paragraph, Plain, Short } from "../../text/plain.tsx";
import { shortened } from "../../text/printable.ts";

/** A tool call: its title, and what it would change or send. */
export function CallBody({ message }: { readonly message: ClineMessage }): ReactNode {
  const call = parseCall(message);
  if (call === undefined) return <Paragraph text={message.text ?? ""} />;
  return (
    <>
      <p className="messages-tool-call">
        {call.title.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by position
          <Part key={index} part={part} />
        ))}
        {call.stats !== undefined && <DiffStats {...call.stats} />}
      </p>
      {call.isOutsideWorkspace === true && <p className="messages-alert">outside the workspace</p>}
      {call.isProtected === true && <p className="messages-alert">protected file</p>}
      <CallContent call={call} />
      {call.isCut === true && <p className="messages-muted">Lists were shortened in the recording.</p>}
    </>
  );
}

function Part({ part: { kind, word, text } }: { readonly part: TitlePart }): ReactNode {
  const short = <Short text={text} />;
  if (kind === "verb") return <b>{short}</b>;
  if (kind === "note") return <span className="messages-muted">{short}</span>;
  return (
    <span>
      {word} <code>{short}</code>
    </span>
  );
}

/** Numbers of added and removed lines. */
export function DiffStats({ added, removed }: Readonly<{ added: number; removed: number }>): ReactNode {
  return (
    <span className="messages-stats">
      <span className="messages-added">+{added}</span> <span className="messages-removed">−{removed}</span>
    </span>
  );
}

function CallContent({ call }: { readonly call: Call }): ReactNode {
  const { content } = call;
  switch (content.kind) {
    case "files":
      return (
        <p className="messages-tool-call">
          {callLines(call).map((file) => (
            <code key={file}>
              <Short text={file} />
            </code>
          ))}
        </p>
      );
    case "file":
      return <Diff diff={content.text} isNew />;
    case "change":
      return isDiff(content.text) ? <Diff diff={content.text} /> : <Paragraph text={content.text} />;
    case "plan":
      return <TodoList todos={content.todos} />;
    case "subtask":
      return (
        <>
          <Paragraph text={content.given.join("\n")} />
          <SafeMarkdown text={content.message} />
          <Paragraph text={content.todos} />
        </>
      );
    case "arguments":
      return content.fields === undefined ? (
        <Paragraph text={content.given} />
      ) : (
        <Json value={content.fields} isBare />
      );
    case "fields":
      return <Json value={content.fields} isBare />;
    default:
      return null;
  }
}

const STATUS_ICONS: ReadonlyMap<string, string> = new Map([
  ["completed", "✓"],
  ["in_progress", "▸"],
]);

/** The most todo items that are shown. */
const TODOS_MAX_ITEMS = 100;

/** A todo list with the status of each item. */
function TodoList({ todos }: { readonly todos: readonly Todo[] }): ReactNode {
  const left = todos.length - TODOS_MAX_ITEMS;
  return (
    <ul className="messages-plan">
      {todos.slice(0, TODOS_MAX_ITEMS).map(({ content, status }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by position
        <li key={index} className={status === "completed" ? "messages-done" : ""}>
          <span title={shortened(status, 40)}>{STATUS_ICONS.get(status) ?? "○"}</span>{" "}
          <Plain text={content} />
        </li>
      ))}
      {left > 0 && <li className="messages-muted">… {left} more items</li>}
    </ul>
  );
}
