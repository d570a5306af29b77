export interface QueryFieldProps {
  readonly query: string;
  /** The mistake in the query; undefined: there is none. */
  readonly problem: string | undefined;
  /** The accessible name. Default: `Search the tasks`. */
  readonly label?: string;
  readonly placeholder?: string;
  readonly onQuery: (query: string) => void;
}

/** The field for a query, with its mistake below it. */
export function QueryField({
  query,
  problem,
  label = "Search the tasks",
  placeholder = "Search: words, state:failed, cost>1",
  onQuery,
}: QueryFieldProps) {
  return (
    <div className="sb-query">
      <input
        type="search"
        data-search
        value={query}
        placeholder={placeholder}
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby="sb-query-problem"
        spellCheck={false}
        onChange={({ target }) => onQuery(target.value)}
      />
      <p id="sb-query-problem" role="status">
        {problem}
      </p>
    </div>
  );
}
