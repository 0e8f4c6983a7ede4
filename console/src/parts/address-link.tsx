import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { parseSearch } from '../app/search-params.ts';

interface AddressLinkProps extends Pick<ComponentProps<'a'>, 'className'> {
  /** With its filters, such as `/reviews?partner=…`. */
  readonly to: string;
  readonly children: ReactNode;
}

/** A link to an address of the console. */
export function AddressLink({ to, children, className = 'text-link' }: AddressLinkProps) {
  const [path = '/', search = ''] = to.split('?');
  return (
    <Link to={path} search={parseSearch(search) as never} className={className}>
      {children}
    </Link>
  );
}
