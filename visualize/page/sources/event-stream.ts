import { jsonOf } from "./session.ts";

export type Connection = "connecting" | "connected" | "lost";

export interface StreamHandlers {
  /** What is done with an event's data, by its name; `message` has none. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>;
  readonly onConnection?: ((state: Connection) => void) | undefined;
  /** The server refused it: it is not asked again. */
  readonly onRefused?: () => void;
}

/**
 * An event stream of the server. When it is lost, the browser opens it again and says what it had last; the server goes on
 * from there. Gives what ends it.
 */
export function openStream(url: string, { events, onConnection, onRefused }: StreamHandlers): () => void {
  const source = new EventSource(url);
  onConnection?.("connecting");
  source.onopen = () => onConnection?.("connected");
  source.onerror = () => {
    onConnection?.("lost");
    if (source.readyState === EventSource.CLOSED) onRefused?.();
  };
  for (const [type, take] of Object.entries(events))
    source.addEventListener(type, (event) => take(jsonOf(String(event.data))));
  return () => source.close();
}
