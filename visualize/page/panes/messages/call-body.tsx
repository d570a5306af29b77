import type { ReactNode } from "react";
import { Diff, isDiff, Json, Plain, SafeMarkdown, Short, shortened } from "../../text/index.ts";
import { type CallDescriptor, descriptorOf, type Todo, verbOf } from "./descriptor.ts";

/** What only looks: its title says all that it would do. */
const LOOKS: ReadonlySet<string> = new Set([
  "readFile",
  "listFilesTopLevel",
  "listFilesRecursive",
  "searchFiles",
  "codebaseSearch",
]);

/** What a call would do: its title, and what it would change or send. */
export function CallBody({ text }: { readonly text: string }): ReactNode {
  const call = descriptorOf(text);
  if (call === undefined) return text === "" ? null : <Plain text={text} />;
  return (
    <>
      <CallTitle call={call} />
      {call.isOutsideWorkspace === true && <p className="messages-alarm">outside the workspace</p>}
      {call.isProtected === true && <p className="messages-alarm">a protected file</p>}
      <CallContent call={call} />
      {call.cut === true && <p className="messages-muted">Its lists were cut when it was recorded.</p>}
    </>
  );
}

function CallTitle({ call }: { readonly call: CallDescriptor }): ReactNode {
  const { path, regex, filePattern, query, mode, reason, diffStats } = call;
  return (
    <p className="messages-call">
      <b>
        <Short text={verbOf(call)} />
      </b>
      {path !== undefined && <code>{<Short text={path} />}</code>}
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
          in mode <code>{<Short text={mode} />}</code>
        </span>
      )}
      {reason !== undefined && (
        <span className="messages-muted">
          <Short text={reason} />
        </span>
      )}
      {diffStats !== undefined && (
        <span className="messages-stats">
          <span className="messages-added">+{diffStats.added}</span>{" "}
          <span className="messages-removed">−{diffStats.removed}</span>
        </span>
      )}
    </p>
  );
}

function CallContent({ call }: { readonly call: CallDescriptor }): ReactNode {
  const { tool, content = "", diff, todos } = call;
  if (LOOKS.has(tool)) return null;
  if (tool === "updateTodoList") return typeof todos === "object" ? <Plan todos={todos} /> : null;
  if (tool === "newTask")
    return (
      <>
        <SafeMarkdown text={content} />
        {typeof todos === "string" && todos !== "" && (
          <p className="messages-pre">
            <Plain text={todos} />
          </p>
        )}
      </>
    );
  const change = diff ?? content;
  if (tool === "newFileCreated") return <Diff diff={change} isNew />;
  if (isDiff(change)) return <Diff diff={change} />;
  const { tool: _, ...rest } = call;
  return change === "" ? (
    <Json value={rest} isBare />
  ) : (
    <p className="messages-pre">
      <Plain text={change} />
    </p>
  );
}

const MARKS: ReadonlyMap<string, string> = new Map([
  ["completed", "✓"],
  ["in_progress", "▸"],
]);

/** How many items of a plan are shown. */
const PLAN_MAX_ITEMS = 100;

/** The items of a plan, each with how far it is. */
function Plan({ todos }: { readonly todos: readonly Todo[] }): ReactNode {
  const left = todos.length - PLAN_MAX_ITEMS;
  return (
    <ul className="messages-plan">
      {todos.slice(0, PLAN_MAX_ITEMS).map(({ content, status }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item of a plan is its place
        <li key={index} className={status === "completed" ? "messages-done" : ""}>
          <span title={shortened(status, 40)}>{MARKS.get(status) ?? "○"}</span> <Plain text={content} />
        </li>
      ))}
      {left > 0 && <li className="messages-muted">… {left} more items</li>}
    </ul>
  );
}
