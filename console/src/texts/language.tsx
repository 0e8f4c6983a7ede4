/** The language of the person at the screen: English or Arabic, with its direction, kept in the browser. */
import { DirectionProvider, useDirection } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { inLanguage, type Language, type Texts, type TextsOf } from './text.ts';

const KEPT_AS = 'console-language';

const LanguageContext = createContext<{ language: Language; setLanguage(language: Language): void }>({
  language: 'en',
  setLanguage: () => {},
});

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(readLanguage);
  const value = useMemo(() => ({ language, setLanguage }), [language]);
  return (
    <DirectionProvider initialDirection={directionOf(language)} detectDirection={false}>
      <LanguageContext.Provider value={value}>
        <DocumentLanguage />
        {children}
      </LanguageContext.Provider>
    </DirectionProvider>
  );
}

function DocumentLanguage() {
  const { language } = useLanguage();
  const { setDirection } = useDirection();
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = directionOf(language);
    setDirection(directionOf(language));
    localStorage.setItem(KEPT_AS, language);
  }, [language, setDirection]);
  return null;
}

export function useLanguage() {
  return useContext(LanguageContext);
}

/** The texts of a table in the language of the screen. */
export function useTexts<Table extends Texts>(table: Table): TextsOf<Table> {
  const { language } = useLanguage();
  return useMemo(() => inLanguage(table, language), [table, language]);
}

function readLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS);
  if (kept === 'en' || kept === 'ar') return kept;
  return navigator.language.startsWith('ar') ? 'ar' : 'en';
}

function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}
