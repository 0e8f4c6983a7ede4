interface BreakingProps {
  readonly text: string;
  /** Where a line may end: a pattern of no width. */
  readonly at: RegExp;
}

/** A code that goes on in the next line only at the places that its reader expects. It is copied without a break. */
export function Breaking({ text, at }: BreakingProps) {
  return partsOf(text, at).map(({ from, part }) => (
    <span key={from} className="unbroken">
      {part}
    </span>
  ));
}

function partsOf(text: string, at: RegExp): readonly { readonly from: number; readonly part: string }[] {
  let end = 0;
  return text.split(at).map((part) => {
    end += part.length;
    return { from: end - part.length, part };
  });
}
