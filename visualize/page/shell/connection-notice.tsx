import type { Connection } from "../sources/connection.ts";

const NOTICES: Readonly<Partial<Record<Connection, string>>> = {
  lost: "Connection lost: reconnecting; actions wait",
  refused: "Connection lost: the server rejected this page. Open the address that it printed.",
};

/** The page says in words that it has no connection, and what it does. */
export function ConnectionNotice({ connection }: { readonly connection: Connection | undefined }) {
  const notice = connection === undefined ? undefined : NOTICES[connection];
  if (notice === undefined) return null;
  return (
    <p className="sb-connection-notice" role="alert">
      {notice}
    </p>
  );
}
