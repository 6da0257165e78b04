// The kit's behaviours that the pages use: toasts, and messages carried to the fields they are about.
import { setMessages } from './kit/i18n.js';
import { installToast } from './kit/toast.js';
import { installFieldErrors } from './kit/field-errors.js';

if (document.documentElement.lang === 'ja') {
  setMessages((await import('./kit/locales/ja.js')).default);
}
installToast();
installFieldErrors();
