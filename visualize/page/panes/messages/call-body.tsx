import type { ReactNode } from "react";
import {
  descriptorVerb,
  parseDescriptor,
  type Todo,
  type ToolDescriptor,
} from "../../../../wire/descriptor.ts";
import { Diff } from "../../text/diff.tsx";
import { isDiff } from "../../text/diff-lines.ts";
import { Json } from "../../text/json.tsx";
import { SafeMarkdown } from "../../text/markdown.tsx";
import { Paragraph, Plain, Short } from "../../text/plain.tsx";
import { shortened } from "../../text/printable.ts";

/** Tools that only read: their title is complete. */
const READ_ONLY: ReadonlySet<string> = new Set([
  "readFile",
  "listFilesTopLevel",
  "listFilesRecursive",
  "searchFiles",
  "codebaseSearch",
  "skill",
  "readArtifact",
  "webFetch",
]);

/** A tool call: its title, and what it would change or send. */
export function CallBody({ text }: { readonly text: string }): ReactNode {
  const call = parseDescriptor(text);
  if (call === undefined) return text === "" ? null : <Plain text={text} />;
  return (
    <>
      <CallTitle call={call} />
      {call.isOutsideWorkspace === true && <p className="messages-alert">outside the workspace</p>}
      {call.isProtected === true && <p className="messages-alert">protected file</p>}
      <CallContent call={call} />
      {call.cut === true && <p className="messages-muted">Lists were shortened in the recording.</p>}
    </>
  );
}

function CallTitle({ call }: { readonly call: ToolDescriptor }): ReactNode {
  const {
    tool,
    path,
    batchFiles,
    skill,
    artifact,
    host,
    url,
    regex,
    filePattern,
    query,
    mode,
    reason,
    id,
    diffStats,
  } = call;
  return (
    <p className="messages-tool-call">
      <b>
        <Short text={descriptorVerb(call)} />
      </b>
      {path !== undefined && <code>{<Short text={path} />}</code>}
      {batchFiles?.map((file) => (
        <code key={file.path}>
          <Short text={file.path} />
        </code>
      ))}
      {skill !== undefined && <code>{<Short text={skill} />}</code>}
      {artifact !== undefined && <code>{<Short text={artifact} />}</code>}
      {id !== undefined && <code>{<Short text={id} />}</code>}
      {host !== undefined && <b>{<Short text={host} />}</b>}
      {url !== undefined && <code>{<Short text={url} />}</code>}
      {query !== undefined && <code>{<Short text={query} />}</code>}
      {regex !== undefined && (
        <span>
          for <code>/{<Short text={regex} />}/</code>
        </span>
      )}
      {filePattern !== undefined && (
        <span>
          in <code>{<Short text={filePattern} />}</code>
        </span>
      )}
      {mode !== undefined && (
        <span>
          {tool === "switchMode" ? "mode" : "in mode"} <code>{<Short text={mode} />}</code>
        </span>
      )}
      {reason !== undefined && (
        <span className="messages-muted">
          <Short text={reason} />
        </span>
      )}
      {diffStats !== undefined && <DiffStats {...diffStats} />}
    </p>
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

function CallContent({ call }: { readonly call: ToolDescriptor }): ReactNode {
  const { tool, content = "", diff, todos } = call;
  if (READ_ONLY.has(tool)) return null;
  if (tool === "updateTodoList") return typeof todos === "object" ? <TodoList todos={todos} /> : null;
  if (tool === "newTask")
    return (
      <>
        <SafeMarkdown text={content} />
        {typeof todos === "string" && <Paragraph text={todos} />}
      </>
    );
  const change = diff ?? content;
  if (tool === "newFileCreated") return <Diff diff={change} isNew />;
  if (isDiff(change)) return <Diff diff={change} />;
  const { tool: _, ...rest } = call;
  return change === "" ? <Json value={rest} isBare /> : <Paragraph text={change} />;
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
