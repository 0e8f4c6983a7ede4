import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { parseSearch } from '../app/search-params.ts';

interface AddressLinkProps extends Pick<ComponentProps<'a'>, 'className'> {
  /** With its filters, such as `/reviews?partner=…`, and the part of the page, such as `#deliveries`. */
  readonly to: string;
  readonly children: ReactNode;
}

/** A link to an address of the console. */
export function AddressLink({ to, children, className = 'text-link' }: AddressLinkProps) {
  const [page = '/', hash] = to.split('#');
  const [path = '/', search = ''] = page.split('?');
  return (
    <Link to={path} search={parseSearch(search) as never} {...(hash !== undefined && { hash })} className={className}>
      {children}
    </Link>
  );
}
