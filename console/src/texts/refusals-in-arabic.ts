/**
 * What the service says of a refused request, in Arabic by its codes. It writes English sentences; these stand before them, because the
 * sentence has the values. A test compares both tables with the codes that the service may send.
 */

/** By `error.code`. Where a detail of the error has a sentence below, that one is shown. */
export const REFUSAL: Readonly<Record<string, string>> = {
  invalid_request: 'رفضت الخدمة هذه العملية، ولم يُسجَّل شيء.',
  invalid_point_amount: 'عدد النقاط خارج الحدود التي تسمح بها قواعد الشريك.',
  unsupported_vehicle: 'نوع المركبة غير مدعوم.',
  invalid_distance: 'المسافة خارج الحدود المسموح بها.',
  unauthorized: 'لم يُقبل تسجيل الدخول، أو انتهت الجلسة.',
  forbidden: 'لا يُسمح لك بهذه الخطوة.',
  partner_suspended: 'الشريك موقوف: لا تُقبل منه مساهمات جديدة.',
  contribution_not_found: 'لا توجد هذه المساهمة.',
  estimate_not_found: 'لا يوجد هذا التقدير.',
  idempotency_conflict: 'سبق استخدام المفتاح نفسه لعملية بمحتوى آخر.',
  partner_event_conflict: 'سُجّل معرّف الحدث هذا من قبل بمفتاح آخر.',
  partner_order_conflict: 'لرقم الطلب هذا مساهمة مسجّلة من قبل.',
  association_conflict: 'المساهمة أو التقدير مرتبط من قبل.',
  contribution_pending: 'المساهمة ما زالت قيد المعالجة.',
  estimate_expired: 'انتهت صلاحية التقدير.',
  calculation_mismatch: 'التقدير يخص رقم طلب آخر.',
  contribution_final_failure: 'سُجّل فشل هذه المساهمة نهائيًا.',
  rate_limited: 'محاولات كثيرة في وقت قصير. انتظر قليلًا، ثم أعد المحاولة.',
  internal_service_unavailable: 'الخدمة غير متاحة الآن. قد يكون التغيير قد سُجّل: تحقّق منه، ثم أعد المحاولة.',
  record_modified: 'عُدّل هذا السجل في قاعدة البيانات، ولم يُغيَّر شيء.',
};

/** By `error.code` where nothing was to be changed, so that nothing can have been. */
export const READ_REFUSAL: Readonly<Record<string, string>> = {
  internal_service_unavailable: 'الخدمة غير متاحة الآن. أعد المحاولة بعد قليل.',
};

/** What `unauthorized` means where somebody signs in. */
export const SIGN_IN_REFUSAL = {
  password: {
    unauthorized:
      'بيانات الدخول غير صحيحة: البريد الإلكتروني أو معرّف المشغّل، أو كلمة المرور. من ليست لديه كلمة مرور بعد يفتح الرابط الصالح لمرة واحدة الذي يعطيه المسؤول.',
  },
  /** Of who is signed in. */
  again: { unauthorized: 'كلمة المرور غير صحيحة، أو انتهت الجلسة.' },
  link: {
    unauthorized: 'هذا الرابط غير صالح: استُخدم من قبل أو انقضى على إنشائه يوم. اطلب من المسؤول رابطًا جديدًا.',
  },
} as const;

/** What is no answer of the service, by the code that the console gives it. */
export const UNREADABLE: Readonly<Record<string, string>> = {
  unreadable_answer: 'وصل رد لا يُقرأ. قد يكون من وسيط بينك وبين الخدمة.',
};

/** By `error.details[].code`. */
export const FIELD_REFUSAL: Readonly<Record<string, string>> = {
  missing: 'هذا الحقل مطلوب.',
  unknown_field: 'لا تعرف هذه العملية هذا الحقل.',
  wrong_type: 'نوع القيمة غير صحيح.',
  wrong_form: 'القيمة ليست بالصيغة المطلوبة.',
  too_short: 'القيمة أقصر من المسموح.',
  too_long: 'القيمة أطول من المسموح.',
  invalid_characters: 'في القيمة حروف غير مسموح بها.',
  unsupported_value: 'هذه القيمة غير مقبولة.',
  too_small: 'القيمة أصغر من الحد الأدنى.',
  too_large: 'القيمة أكبر من الحد الأقصى.',
  not_whole: 'يجب أن تكون القيمة عددًا صحيحًا.',
  out_of_bounds: 'القيمة خارج الحدود المسموح بها.',
  more_problems: 'في هذه العملية مشكلات أخرى غير المذكورة هنا.',
  invalid_json: 'المحتوى ليس JSON سليمًا.',
  not_found: 'لا يوجد سجل بهذه القيمة.',
  not_of_this_list: 'هذه الصفحة ليست من هذه القائمة. ابدأ القائمة من أولها.',
  not_together: 'لا تجتمع هاتان القيمتان في عملية واحدة.',
  not_possible: 'هذه الخطوة غير ممكنة في الحالة الراهنة.',
  same_payload: 'سُجّل هذا المعرّف من قبل، بالمحتوى نفسه.',
  other_payload: 'سُجّل هذا المعرّف من قبل، بمحتوى آخر.',
  settlement_open: 'التسوية ما زالت مفتوحة.',
  other_digits: 'يجب أن تُكتب القيمة بالأرقام من 0 إلى 9.',
  separators: 'يجب أن تُكتب القيمة دون فواصل الآلاف.',
  unreadable: 'تعذّرت قراءة هذه القيمة.',
  too_many_values: 'في السطر قيم أكثر من أعمدة صف العناوين.',
  too_many_lines: 'عدد السطور أكبر من المسموح.',
  too_many_bytes: 'الحجم أكبر من المسموح.',
  line_too_long: 'في الملف سطر أطول من المسموح.',
  too_many_blank_lines: 'في الملف سطور فارغة أكثر من المسموح.',
  too_many_malformed_lines: 'في الملف سطور كثيرة تتعذّر قراءتها.',
  bytes_of_day_spent: 'بلغ ما خُزّن للشريك في هذا اليوم بالتوقيت العالمي الحصة المسموح بها.',
  lists_of_day_spent: 'بلغ عدد قوائم الشريك في هذا اليوم بالتوقيت العالمي الحد المسموح به.',
  repeated_column: 'في الملف عمود مكرر.',
  missing_column: 'ينقص الملف عمود مطلوب.',
  open_quote: 'في الملف علامة اقتباس لم تُغلق.',
  not_an_array: 'يجب أن يكون المحتوى قائمة JSON.',
  not_ended: 'ينتهي الملف قبل اكتماله.',
  text_after_end: 'في الملف نص بعد نهايته.',
  already_reversed: 'عُكس هذا التعديل من قبل.',
  already_used: 'هذه القيمة مستخدمة من قبل.',
  below_points_min: 'القيمة أقل من الحد الأدنى للنقاط.',
  duplicate: 'هذه القيمة موجودة من قبل.',
  empty: 'لا شيء فيه بعد.',
  in_the_future: 'الوقت في المستقبل.',
  in_the_past: 'الوقت في الماضي.',
  not_confirmed: 'المساهمة غير مؤكَّدة.',
  not_expected: 'لا تُقبل هنا قيمة.',
  not_fixed: 'تُحدَّد هذه القيمة أولًا للشريك نفسه.',
  not_minor_units: 'في المبلغ منازل عشرية أكثر مما لعملته.',
  not_opposite: 'يجب أن يحمل التعديل العكسي القيم نفسها بإشارة معاكسة.',
  not_posted: 'لا يُعكس إلا تعديل مُرحَّل؛ ارفض هذا التعديل بدلًا من ذلك.',
  not_public: 'العنوان ليس عنوانًا عامًا.',
  other_currency: 'هذه ليست عملة الشريك.',
  other_origin: 'جاءت هذه العملية من صفحة موقع آخر. افتح لوحة المشغّلين على عنوان هذه الخدمة.',
  record_modified: 'عُدّلت هذه القيمة في قاعدة البيانات خارج الخدمة، وهي تختلف عمّا في سجل التدقيق.',
  reserved: 'هذا الاسم محجوز للخدمة.',
  same_project: 'الدفعة مخصّصة لهذا المشروع بالفعل.',
  sign_in_again: 'تحتاج هذه الخطوة إلى تسجيل دخول خلال آخر 10 دقائق.',
  too_soon: 'الوقت قريب جدًا.',
  unchanged: 'القيمة كما كانت.',
  worker_lost:
    'أحد خوادم قاعدة البيانات لا يستجيب. لا تُعرض القوائم والأرقام التي تشمل شركاءه حتى يعود، لأنها ستكون ناقصة، وتعمل صفحات كل شريك آخر.',
  wrong_length: 'طول القيمة غير مسموح به.',
  zero: 'لا يجوز أن تكون القيمة 0.',
};

/** By `error.details[].field` and `.code`, where the pair says more than the code. */
export const NAMED_REFUSAL: Readonly<Record<string, string>> = {
  'new_password unsupported_value': 'كلمة المرور هذه غير مقبولة. اختر كلمة أطول لا يسهل تخمينها.',
  'password unsupported_value': 'كلمة المرور هذه غير مقبولة. اختر كلمة أطول لا يسهل تخمينها.',
  'totp missing': 'أدخل رمز تطبيق المصادقة.',
  'totp unreadable':
    'لا يمكن التحقّق من رمز تطبيق المصادقة الآن: مفتاح الأسرار ناقص في الخدمة. سجّل الدخول بمفتاح مرور، أو أبلغ من يشغّل الخدمة.',
  'totp wrong_form': 'رمز تطبيق المصادقة غير صحيح، أو استُخدم من قبل.',
  'captured_at in_the_future': 'وقت الالتقاط في المستقبل.',
  'points_delta out_of_bounds': 'بهذه القيمة تخرج نقاط المساهمة المسوّاة أو مبلغها المسوّى عن الحدود المسموح بها.',
  'amount_delta not_possible': 'ليس للمساهمة مبلغ: لم تُحوَّل نقاطها.',
  'project_id not_expected': 'يُذكر المشروع عند التخصيص فقط؛ ولتغييره استخدم «نقل إلى مشروع آخر».',
  'to not_possible': 'ليست هذه هي الحالة التالية للدفعة.',
  'evidence missing': 'أضف دليلًا على التنفيذ قبل التحقّق من الدفعة؛ ولا تُحتسب أدلة مشروع سابق.',
  'Origin unsupported_value': 'تحتاج مفاتيح المرور إلى فتح لوحة المشغّلين باسم مضيف، مثل localhost، لا بعنوان رقمي.',
  'Idempotency-Key not_possible': 'نُفّذت هذه العملية من قبل، ولم يعد السرّ الذي في ردّها متاحًا.',
  'record record_modified': 'عُدّل سجل في قاعدة البيانات خارج الخدمة، ولم يُغيَّر شيء. أبلغ من يشغّل الخدمة.',
  'file empty': 'الملف فارغ.',
  'file not_possible': 'بلغت أدلة مشروع هذه الدفعة أقصى عدد، وهو 50 ملفًا. تحقّق من الدفعة بها.',
  'file duplicate': 'هذا الملف مضاف إلى أدلة الدفعة بالفعل.',
  'impact_batch_id empty': 'لا مساهمات في الدفعة بعد؛ أضف تسويات أولًا.',
  'settlement_id not_possible': 'أُقفلت هذه التسوية من قبل.',
  'settlement_ids not_possible': 'لا يمكن ضم هذه التسويات إلى الدفعة.',
  'api_key not_found': 'يجب أن يكون المفتاح مفتاح هذا الشريك. أصدر مفتاحًا، أو انسخه ثانية.',
};
