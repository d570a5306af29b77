import { parseJson } from "../../../machines/message/index.ts";

export type Connection = "connecting" | "connected" | "lost";

export interface StreamHandlers {
  /** The handlers of events, by name; `message` is the default. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>;
  readonly onConnection?: ((state: Connection) => void) | undefined;
  /** The server rejected the stream: the browser does not reconnect. */
  readonly onRefused?: () => void;
}

/**
 * Open an event stream of the server. When it is lost, the browser reconnects and resumes after the last event. Call
 * the returned function to close it.
 */
export function openStream(url: string, { events, onConnection, onRefused }: StreamHandlers): () => void {
  const source = new EventSource(url);
  onConnection?.("connecting");
  source.onopen = () => onConnection?.("connected");
  source.onerror = () => {
    onConnection?.("lost");
    if (source.readyState === EventSource.CLOSED) onRefused?.();
  };
  for (const [type, handle] of Object.entries(events))
    source.addEventListener(type, (event) => handle(parseJson(String(event.data))));
  return () => source.close();
}
