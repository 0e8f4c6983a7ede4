/** Who is signed in, with language, theme and the way out. */
import {
  ActionIcon,
  Group,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { Foreign } from '../parts/values.tsx';
import { useSession } from '../session/session.tsx';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';

export function AccountMenu() {
  const { operator, signOut } = useSession();
  const navigate = useNavigate();
  const t = useTexts(SHELL);
  return (
    <Group justify="space-between" wrap="nowrap" gap={4}>
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <UnstyledButton className="account-button">
            <VisuallyHidden>{t.account}</VisuallyHidden>
            <Text size="sm" fw={600} component="div">
              <Foreign text={operator.name} />
            </Text>
            <Text size="xs" c="dimmed">
              {t[operator.role]}
            </Text>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="lock" size={16} />} onClick={() => void navigate({ to: '/account' as never })}>
            {t.account}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="signOut" size={16} />} onClick={() => void signOut()}>
            {t.signOut}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Preferences />
    </Group>
  );
}

export function Preferences() {
  const t = useTexts(SHELL);
  const { language, setLanguage } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Group gap={2} wrap="nowrap">
      <Tooltip label={t.otherLanguage}>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="dimmed"
          size="lg"
          aria-label={t.language}
          onClick={() => setLanguage(language === 'en' ? 'ar' : 'en')}
        >
          <Icon name="globe" />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t[other]}>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="dimmed"
          size="lg"
          aria-label={t[other]}
          onClick={() => setColorScheme(other)}
        >
          <Icon name={other === 'dark' ? 'moon' : 'sun'} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
