import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

/** Sends once what a double-click asks for twice: the second click comes before the button is drawn as busy. */
export function useOnce<Input, Output>(options: Omit<UseMutationOptions<Output, Error, Input>, 'onSettled'>) {
  const isUnderWay = useRef(false);
  const mutation = useMutation<Output, Error, Input>({
    ...options,
    onSettled() {
      isUnderWay.current = false;
    },
  });
  const mutate = (input: Input) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutation.mutate(input);
  };
  return { ...mutation, mutate };
}
